"""XXH3-64 and XXH3-128, seed 0, default secret (§1.2)."""

import struct

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def fold(a, b):
    product = a * b
    return (product & MASK64) ^ (product >> 64)


def xxh3_avalanche(h):
    h ^= h >> 37
    h = h * MX1 & MASK64
    return h ^ h >> 32


def xxh64_avalanche(h):
    h = (h ^ h >> 33) * P64_2 & MASK64
    h = (h ^ h >> 29) * P64_3 & MASK64
    return h ^ h >> 32


def mix16(data, at, secret):
    return fold(u64(data, at) ^ u64(SECRET, secret), u64(data, at + 8) ^ u64(SECRET, secret + 8))


def xxh3_short(data, n):
    if n == 0:
        return xxh64_avalanche(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        word = data[n - 1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        return xxh64_avalanche(word ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    if n <= 8:
        word = u32(data, n - 4) | u32(data, 0) << 32
        h = word ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= (h << 49 | h >> 15) & MASK64 ^ (h << 24 | h >> 40) & MASK64
        h = h * MX2 & MASK64
        h = (h ^ (h >> 35) + n) * MX2 & MASK64
        return h ^ h >> 28
    low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
    high = u64(data, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
    swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
    return xxh3_avalanche(n + swapped + high + fold(low, high) & MASK64)


def xxh3_middle(data, n):
    total = n * P64_1
    if n <= 128:
        for i in range((n - 1) // 32 + 1):
            total += mix16(data, 16 * i, 32 * i) + mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return xxh3_avalanche(total & MASK64)
    for i in range(8):
        total += mix16(data, 16 * i, 16 * i)
    total = xxh3_avalanche(total & MASK64)
    for i in range(8, n // 16):
        total += mix16(data, 16 * i, 16 * (i - 8) + 3)
    total += mix16(data, n - 16, 136 - 17)
    return xxh3_avalanche(total & MASK64)


def xxh3_accumulators(data, n):
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def stripe(at, secret):
        words = struct.unpack_from("<8Q", data, at)
        keys = struct.unpack_from("<8Q", SECRET, secret)
        for i in range(8):
            keyed = words[i] ^ keys[i]
            acc[i ^ 1] += words[i]
            acc[i] = acc[i] + (keyed & MASK32) * (keyed >> 32) & MASK64

    stripes = (n - 1) // 64
    for number in range(stripes):
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            for i in range(8):
                value = acc[i] & MASK64
                acc[i] = (value ^ value >> 47 ^ u64(SECRET, 128 + 8 * i)) * P32_1 & MASK64
    stripe(n - 64, 192 - 64 - 7)
    return [value & MASK64 for value in acc]


def xxh3_merge(acc, secret, total):
    for i in range(4):
        total += fold(acc[2 * i] ^ u64(SECRET, secret + 16 * i),
                      acc[2 * i + 1] ^ u64(SECRET, secret + 8 + 16 * i))
    return xxh3_avalanche(total & MASK64)


def xxh3_long(data, n):
    return xxh3_merge(xxh3_accumulators(data, n), 11, n * P64_1)


def xxh3(data):
    n = len(data)
    return xxh3_short(data, n) if n <= 16 else \
        xxh3_middle(data, n) if n <= 240 else xxh3_long(data, n)


def mix32(low, high, data, first, second, secret):
    low = low + mix16(data, first, secret) & MASK64
    high = high + mix16(data, second, secret + 16) & MASK64
    low ^= u64(data, second) + u64(data, second + 8) & MASK64
    high ^= u64(data, first) + u64(data, first + 8) & MASK64
    return low, high


def xxh128_short(data, n):
    if n == 0:
        return tuple(xxh64_avalanche(u64(SECRET, at) ^ u64(SECRET, at + 8)) for at in (64, 80))
    if n <= 3:
        word = data[n - 1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        swapped = int.from_bytes(word.to_bytes(4, "little"), "big")
        turned = (swapped << 13 | swapped >> 19) & MASK32
        return (xxh64_avalanche(word ^ u32(SECRET, 0) ^ u32(SECRET, 4)),
                xxh64_avalanche(turned ^ u32(SECRET, 8) ^ u32(SECRET, 12)))
    if n <= 8:
        word = u32(data, 0) | u32(data, n - 4) << 32
        product = (word ^ u64(SECRET, 16) ^ u64(SECRET, 24)) * (P64_1 + (n << 2) & MASK64)
        low, high = product & MASK64, product >> 64
        high = high + (low << 1) & MASK64
        low ^= high >> 3
        low = (low ^ low >> 35) * MX2 & MASK64
        return low ^ low >> 28, xxh3_avalanche(high)
    first, last = u64(data, 0), u64(data, n - 8)
    product = (first ^ last ^ u64(SECRET, 32) ^ u64(SECRET, 40)) * P64_1
    low, high = product + (n - 1 << 54) & MASK64, product >> 64
    last ^= u64(SECRET, 48) ^ u64(SECRET, 56)
    high = high + last + (last & MASK32) * (P32_2 - 1) & MASK64
    low ^= int.from_bytes(high.to_bytes(8, "little"), "big")
    product = low * P64_2
    return xxh3_avalanche(product & MASK64), xxh3_avalanche((product >> 64) + high * P64_2 & MASK64)


def xxh128_middle(data, n):
    low, high = n * P64_1, 0
    if n <= 128:
        for i in reversed(range((n - 1) // 32 + 1)):
            low, high = mix32(low, high, data, 16 * i, n - 16 * (i + 1), 32 * i)
    else:
        for i in range(4):
            low, high = mix32(low, high, data, 32 * i, 32 * i + 16, 32 * i)
        low, high = xxh3_avalanche(low), xxh3_avalanche(high)
        for i in range(4, n // 32):
            low, high = mix32(low, high, data, 32 * i, 32 * i + 16, 32 * (i - 4) + 3)
        low, high = mix32(low, high, data, n - 16, n - 32, 136 - 17 - 16)
    whole = low * P64_1 + high * P64_4 + n * P64_2 & MASK64
    return xxh3_avalanche(low + high & MASK64), -xxh3_avalanche(whole) & MASK64


def xxh128(data):
    """16 bytes, the low half first."""
    n = len(data)
    if n <= 240:
        low, high = xxh128_short(data, n) if n <= 16 else xxh128_middle(data, n)
    else:
        acc = xxh3_accumulators(data, n)
        low = xxh3_merge(acc, 11, n * P64_1)
        high = xxh3_merge(acc, 192 - 64 - 11, ~(n * P64_2) & MASK64)
    return struct.pack("<2Q", low, high)
