import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketFolder } from './socket-folder';

const root = mkdtempSync(join(tmpdir(), 'curtail-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('socketFolder', () => {
  it('is private, and is the same for every path to the data folder', () => {
    const data = join(root, 'data');
    mkdirSync(data);
    symlinkSync(data, join(root, 'alias'));
    const folder = socketFolder(data, root);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(socketFolder(join(root, 'alias'), root)).toBe(folder);
    mkdirSync(join(root, 'other'));
    expect(socketFolder(join(root, 'other'), root)).not.toBe(folder);
  });

  it('is short enough for a socket with any data folder and temporary folder', () => {
    const deep = join(root, ...Array.from({ length: 30 }, () => 'abcdef'));
    mkdirSync(deep, { recursive: true });
    const folder = socketFolder(deep, deep);
    expect(join(folder, 'embedded-mongodb-XXXXXX', 'mongodb.sock').length).toBeLessThan(104);
    expect(folder.startsWith('/tmp/')).toBe(true);
    rmdirSync(folder);
  });

  it('rejects a folder that other users can access', () => {
    const folder = socketFolder(root, root);
    chmodSync(folder, 0o755);
    expect(() => socketFolder(root, root)).toThrow(
      `${folder} is not a private folder of this user`,
    );
  });

  it('rejects a symbolic link created by another user', () => {
    const data = mkdtempSync(join(root, 'data-'));
    const folder = socketFolder(data, root);
    rmdirSync(folder);
    symlinkSync(data, folder);
    expect(() => socketFolder(data, root)).toThrow('is not a private folder of this user');
  });
});
