CREATE TABLE manifests(
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, content BLOB NOT NULL, parent BLOB,
  depth INTEGER NOT NULL, format TEXT NOT NULL, effort TEXT NOT NULL, profile TEXT NOT NULL,
  lossy INTEGER NOT NULL, original_bytes INTEGER NOT NULL, file_count INTEGER NOT NULL,
  tensor_count INTEGER NOT NULL, changed_tensors INTEGER NOT NULL, same_tensors INTEGER NOT NULL,
  new_tensors INTEGER NOT NULL, relative_change REAL NOT NULL);
CREATE INDEX manifests_by_content ON manifests(content);
CREATE INDEX manifests_by_parent ON manifests(parent);
CREATE TABLE versions(
  name TEXT NOT NULL, number INTEGER NOT NULL, manifest INTEGER NOT NULL REFERENCES manifests(id),
  added_at INTEGER NOT NULL, removed_at INTEGER NOT NULL, note TEXT NOT NULL,
  license TEXT NOT NULL, source TEXT NOT NULL, stored_bytes INTEGER NOT NULL,
  PRIMARY KEY(name, number)) WITHOUT ROWID;
CREATE INDEX versions_by_manifest ON versions(manifest);
CREATE TABLE finding(
  name TEXT NOT NULL, number INTEGER NOT NULL, probe INTEGER NOT NULL,
  original_bytes INTEGER NOT NULL, is_base INTEGER NOT NULL, signature BLOB NOT NULL,
  PRIMARY KEY(name, number));
CREATE INDEX finding_by_bytes ON finding(original_bytes, probe);
CREATE TABLE tags(
  name TEXT NOT NULL, tag TEXT NOT NULL, number INTEGER NOT NULL, in_trash INTEGER NOT NULL,
  note TEXT NOT NULL, tagged_at INTEGER NOT NULL,
  PRIMARY KEY(name, tag, number, in_trash)) WITHOUT ROWID;
CREATE TABLE names(name TEXT PRIMARY KEY, last_number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE objects(
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, byte_count INTEGER NOT NULL,
  is_manifest INTEGER NOT NULL);
CREATE TABLE manifest_objects(
  manifest INTEGER NOT NULL REFERENCES manifests(id),
  object INTEGER NOT NULL REFERENCES objects(id),
  PRIMARY KEY(manifest, object)) WITHOUT ROWID;
CREATE INDEX manifest_objects_by_object ON manifest_objects(object);
CREATE TABLE awaited(object INTEGER PRIMARY KEY);
CREATE TABLE operations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL,
  detail TEXT NOT NULL);
INSERT INTO manifests(id, digest, content, parent, depth, format, effort, profile, lossy, original_bytes, file_count, tensor_count, changed_tensors, same_tensors, new_tensors, relative_change) VALUES(1, x'8b3ce53c559afed74b6256c921654e1685c5e85878e964ff9cfb2a0ceeb9a032', x'4c51087e6e68dea3d578ff9d59df9c911ba04dc15775549b42f789896a1d112a', NULL, 0, 'folder', 'default', 'exact', 0, 2885, 4, 1, 0, 0, 1, 0.0);
INSERT INTO manifests(id, digest, content, parent, depth, format, effort, profile, lossy, original_bytes, file_count, tensor_count, changed_tensors, same_tensors, new_tensors, relative_change) VALUES(2, x'f5c17fea45641f4292b04d142c451c99eb5528994d5dd03722786fb5b0d2c7d8', x'f1c00e5015ae411e1651299e2bc3f6e4f629eca3bb1166c5d4cd348e609facfa', x'4c51087e6e68dea3d578ff9d59df9c911ba04dc15775549b42f789896a1d112a', 1, 'folder', 'default', 'exact', 0, 2885, 4, 1, 1, 0, 0, 0.009819863364100456);
INSERT INTO manifests(id, digest, content, parent, depth, format, effort, profile, lossy, original_bytes, file_count, tensor_count, changed_tensors, same_tensors, new_tensors, relative_change) VALUES(3, x'f57d6a49946f16569845a703ba40ef1f1b605f27ef69b8a4266eda22631e9013', x'db8844608f966bc5e8b2a9c3a7bf1440af6e905de4045dda28ee65a239a8c954', x'f1c00e5015ae411e1651299e2bc3f6e4f629eca3bb1166c5d4cd348e609facfa', 2, 'folder', 'default', 'exact', 0, 2885, 4, 1, 1, 0, 0, 0.010754931718111038);
INSERT INTO manifests(id, digest, content, parent, depth, format, effort, profile, lossy, original_bytes, file_count, tensor_count, changed_tensors, same_tensors, new_tensors, relative_change) VALUES(4, x'd354039de3a6b872b60aa05f5f789cdd7452210a4be22aa32063093db1202838', x'4ea3c799fa752c42f0efa0bf312ff5bc03bd5650c4f91d350a40df2c9ae74b08', x'db8844608f966bc5e8b2a9c3a7bf1440af6e905de4045dda28ee65a239a8c954', 3, 'folder', 'default', 'exact', 0, 2885, 4, 1, 1, 0, 0, 0.011151805520057678);
INSERT INTO manifests(id, digest, content, parent, depth, format, effort, profile, lossy, original_bytes, file_count, tensor_count, changed_tensors, same_tensors, new_tensors, relative_change) VALUES(5, x'1e28d6bd8926d7dd9bbd882df1f0656f7fe18bfde994aa15c2dc4cb9878de03a', x'36b80c60a00083219630e857959352c5f3524739673a6db8499682dc7058d13f', x'4ea3c799fa752c42f0efa0bf312ff5bc03bd5650c4f91d350a40df2c9ae74b08', 4, 'folder', 'default', 'exact', 0, 2885, 4, 1, 1, 0, 0, 0.010507217608392239);
INSERT INTO manifests(id, digest, content, parent, depth, format, effort, profile, lossy, original_bytes, file_count, tensor_count, changed_tensors, same_tensors, new_tensors, relative_change) VALUES(6, x'f9e232f875babd920015f64df2644ec19b5cead8acfc36b2dc064c37acaa1799', x'2de13fa1779ad65b0928230eddd103ef3b58f00585699beec5a0a688082c2233', NULL, 0, 'safetensors', 'default', 'exact', 0, 84, 1, 1, 0, 0, 1, 0.0);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(1, x'8b3ce53c559afed74b6256c921654e1685c5e85878e964ff9cfb2a0ceeb9a032', 461, 1);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(2, x'd59630e898448fe54b8bd6fff92eee1a02584d73611572dc917163eaabb4a45d', 2336, 0);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(3, x'f5c17fea45641f4292b04d142c451c99eb5528994d5dd03722786fb5b0d2c7d8', 502, 1);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(4, x'8871250635b830729f03238c41b6bd74e08fca66d4a020be4f618710fee45416', 510, 0);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(5, x'f57d6a49946f16569845a703ba40ef1f1b605f27ef69b8a4266eda22631e9013', 502, 1);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(6, x'350b7583649a62529bea12c10e865e35f4a476a73f225e389f2d9bde9a7a3f56', 535, 0);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(7, x'd354039de3a6b872b60aa05f5f789cdd7452210a4be22aa32063093db1202838', 503, 1);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(8, x'123254205f4ce8a7d25518ff555594fdcefee681df1cc1dcfa9fd4c027f84fdf', 534, 0);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(9, x'1e28d6bd8926d7dd9bbd882df1f0656f7fe18bfde994aa15c2dc4cb9878de03a', 501, 1);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(10, x'7017d45af8d92afbb605f39d73c945fca40c71b9b6cffa8d8819f140db7ca4c3', 539, 0);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(11, x'f9e232f875babd920015f64df2644ec19b5cead8acfc36b2dc064c37acaa1799', 235, 1);
INSERT INTO objects(id, digest, byte_count, is_manifest) VALUES(12, x'a5483a98e0f0af537c9c3242fef8fc4b5e76851936530357206454ae35f38f4f', 106, 0);
INSERT INTO awaited(object) VALUES(10);
INSERT INTO operations(id, at, kind, detail) VALUES(1, 1795279600, 'add', 'run:v1');
INSERT INTO manifest_objects(manifest, object) VALUES(1, 1);
INSERT INTO manifest_objects(manifest, object) VALUES(1, 2);
INSERT INTO manifest_objects(manifest, object) VALUES(2, 3);
INSERT INTO manifest_objects(manifest, object) VALUES(2, 4);
INSERT INTO manifest_objects(manifest, object) VALUES(3, 5);
INSERT INTO manifest_objects(manifest, object) VALUES(3, 6);
INSERT INTO manifest_objects(manifest, object) VALUES(4, 7);
INSERT INTO manifest_objects(manifest, object) VALUES(4, 8);
INSERT INTO manifest_objects(manifest, object) VALUES(5, 9);
INSERT INTO manifest_objects(manifest, object) VALUES(5, 10);
INSERT INTO manifest_objects(manifest, object) VALUES(6, 11);
INSERT INTO manifest_objects(manifest, object) VALUES(6, 12);
INSERT INTO tags(name, tag, number, in_trash, note, tagged_at) VALUES('gone', 'old', 1, 1, '', 1795279401);
INSERT INTO tags(name, tag, number, in_trash, note, tagged_at) VALUES('run', 'kept', 3, 0, 'the best one', 1795279400);
INSERT INTO names(name, last_number) VALUES('gone', 1);
INSERT INTO names(name, last_number) VALUES('run', 9);
INSERT INTO versions(name, number, manifest, added_at, removed_at, note, license, source, stored_bytes) VALUES('gone', 1, 6, 1795279310, 1795279500, 'not wanted any more', '', '', 341);
INSERT INTO versions(name, number, manifest, added_at, removed_at, note, license, source, stored_bytes) VALUES('run', 1, 1, 1795279309, 0, '', 'apache-2.0', 'hf://acme/base', 2797);
INSERT INTO versions(name, number, manifest, added_at, removed_at, note, license, source, stored_bytes) VALUES('run', 2, 2, 1795279309, 0, 'second week; "quoted", größer', '', '', 1012);
INSERT INTO versions(name, number, manifest, added_at, removed_at, note, license, source, stored_bytes) VALUES('run', 3, 3, 1795279310, 0, 'kept for the report', '', '', 1037);
INSERT INTO versions(name, number, manifest, added_at, removed_at, note, license, source, stored_bytes) VALUES('run', 4, 4, 1795279310, 0, '', '', '', 1037);
INSERT INTO versions(name, number, manifest, added_at, removed_at, note, license, source, stored_bytes) VALUES('run', 5, 5, 1795279310, 0, '', '', '', 1040);
INSERT INTO finding(name, number, probe, original_bytes, is_base, signature) VALUES('run', 1, 6632422095828744938, 2885, 1, x'5354525349473031010000000000000000080000000000009c623c2f363f0c24c9bfe7b1030505000020993c0040273d0020dcbc00803cbd0000523d00604bbd0000943c00a08d3b00e0233c00809a3d0020883d00c0ed3c');
INSERT INTO finding(name, number, probe, original_bytes, is_base, signature) VALUES('run', 2, -4824841039183706070, 2885, 0, x'535452534947303101000000000000000008000000000000aae9dde53efa87b6c9bfe7b1030505000020993c0040273d0020dcbc00803cbd0000523d00604bbd0000943c00a08d3b00e0233c00809a3d0000893d00c0ed3c');
INSERT INTO finding(name, number, probe, original_bytes, is_base, signature) VALUES('run', 3, 8046192586532605288, 2885, 0, x'5354525349473031010000000000000000080000000000000c39c9ba0e64cd5ac9bfe7b1030505000020993c0080283d0000d1bc00e035bd0060593d00604bbd0000943c00a08d3b00e0233c00e0993d0000893d00c0ed3c');
INSERT INTO finding(name, number, probe, original_bytes, is_base, signature) VALUES('run', 4, -4764104871841638911, 2885, 0, x'5354525349473031010000000000000000080000000000004d2807c1466db6d5c9bfe7b1030505000020993c0000283d0080d7bc00e035bd0060593d00604bbd00a0993c00a08d3b00e0233c00e0993d0000893d00c0ed3c');
INSERT INTO finding(name, number, probe, original_bytes, is_base, signature) VALUES('run', 5, -4003787092315023121, 2885, 0, x'535452534947303101000000000000000008000000000000ec64f8406ea1b754c9bfe7b10305050000608d3c0000283d00e0d7bc00e035bd0060593d00604bbd00a0993c00a08d3b0020493c00e0993d0000893d0040e33c');
INSERT INTO finding(name, number, probe, original_bytes, is_base, signature) VALUES('gone', 1, 6104471490692634672, 84, 1, x'535452534947303101000000000000000c00000000000000627d81acb9fb7779c9bfe7b1010001000000803f000000400000803f00000040000000400000803f000000400000803f0000803f000000400000803f00000040');
CREATE TABLE transfers(
  id INTEGER PRIMARY KEY AUTOINCREMENT, direction TEXT NOT NULL, remote TEXT NOT NULL,
  refs TEXT NOT NULL, options TEXT NOT NULL, state TEXT NOT NULL, problem TEXT NOT NULL,
  process INTEGER NOT NULL, done_bytes INTEGER NOT NULL, total_bytes INTEGER NOT NULL,
  begun_at INTEGER NOT NULL, changed_at INTEGER NOT NULL);
INSERT INTO transfers(id, direction, remote, refs, options, state, problem, process, done_bytes, total_bytes, begun_at, changed_at) VALUES(3, 'pull', 'origin', '["run:v5"]', '{}', 'interrupted', '', 4711, 10, 100, 1795279600, 1795279601);
PRAGMA application_id = 1398035009;
PRAGMA user_version = 1;
