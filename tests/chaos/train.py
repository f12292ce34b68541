"""The training that ckpt-chaos crashes (tests/chaos/run): a small GPT-2 by transformers' Trainer.

    train.py STRATA OUT

Each start takes in what an earlier one left (`strata watch --once`) and goes on from what `strata resume`
restores, or begins anew where no snapshot is there. So a kill within a save must cost nothing but the
steps since the checkpoint before. Runs as one process, or as a rank of several (RANK, WORLD_SIZE).
"""
import os
import pathlib
import shutil
import subprocess
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

STEPS, EVERY = 15, 5
WITH_WARNINGS = 3  # exit status of `strata watch` where a checkpoint is not finished
NOTHING_THERE = 5  # that of `strata resume` for a run without a complete snapshot
RANK = int(os.environ.get("RANK", "0"))


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        ids = torch.randint(0, 100, (16,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids, "labels": ids.clone()}


class Begin(TrainerCallback):
    """Says where the training goes on."""

    def on_train_begin(self, args, state, control, **others):
        print(f"resumed from step {state.global_step}", flush=True)


def strata(program, store, *words, allowed=(0,)):
    done = subprocess.run([program, "--store", store, *words], stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in allowed:
        sys.exit(f"strata {' '.join(map(str, words))}: exit {done.returncode}")
    return done.returncode


def restored(program, out):
    """The folder that the newest snapshot is restored to; nothing if there is none yet."""
    store, saves, folder = out / "store", out / "saves", out / "resumed"
    if not store.exists():
        strata(program, store, "init", "-q")
    if saves.exists():
        strata(program, store, "watch", saves, "--run", "run", "--once", "-q", allowed=(0, WITH_WARNINGS))
    shutil.rmtree(folder, ignore_errors=True)
    found = strata(program, store, "resume", "run", "-o", folder, "-q", allowed=(0, NOTHING_THERE))
    shutil.rmtree(saves, ignore_errors=True)  # what a kill left half written is not to be saved over
    return found == 0


def main():
    program, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    arguments = TrainingArguments(
        output_dir=str(out / "saves"), max_steps=STEPS, save_steps=EVERY, per_device_train_batch_size=4,
        use_cpu=True, report_to=[], logging_steps=1000, disable_tqdm=True, ddp_timeout=60)
    with arguments.main_process_first(local=False):
        if RANK == 0:
            restored(program, out)
    begin = out / "resumed"
    model = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=16, n_embd=32, n_layer=1, n_head=2))
    trainer = Trainer(model=model, args=arguments, train_dataset=Samples(), callbacks=[Begin()])
    trainer.train(resume_from_checkpoint=str(begin) if begin.exists() else None)
    torch.save(trainer.model.state_dict(), out / f"final-{RANK}.pt")
    sys.stdout.flush()
    os._exit(0)  # PyTorch's own exit may abort or wait for ever where another rank went first


if __name__ == "__main__":
    main()
