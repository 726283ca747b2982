import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { ZipFile } from 'yazl';
import { type ExportedFile, MANIFEST_FILE } from '../../imports/sources/curtail/export-codec';
import type { ExportFolder } from './export-folder';

const BYTES_A_CHECK = 1024 * 1024;

/** @param check called after each MiB; an error ends the stream */
export function exportZip(
  folder: ExportFolder,
  manifest: { readonly files: readonly ExportedFile[] },
  mtime: Date,
  check: () => Promise<void>,
): { readonly pieces: Readable; readonly sha256: () => string } {
  const hash = createHash('sha256');
  let unchecked = 0;
  const pieces = new Transform({
    transform(piece: Buffer, _encoding, done: TransformCallback) {
      hash.update(piece);
      unchecked += piece.length;
      if (unchecked < BYTES_A_CHECK) {
        done(null, piece);
        return;
      }
      unchecked = 0;
      check().then(() => done(null, piece), done);
    },
  });
  const zip = zipOf(folder, manifest, mtime);
  zip.once('error', (error) => pieces.destroy(error));
  zip.pipe(pieces);
  return { pieces, sha256: () => hash.digest('hex') };
}

function zipOf(
  folder: ExportFolder,
  manifest: { readonly files: readonly ExportedFile[] },
  mtime: Date,
): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), MANIFEST_FILE, { mtime });
  for (const { name } of manifest.files) {
    // Each file is opened only when its turn comes; the zip library does not handle read errors.
    zip.addReadStreamLazy(name, { mtime }, (open) => {
      const file = createReadStream(folder.pathOf(name));
      file.on('error', (error) => output.destroy(error));
      open(null, file);
    });
  }
  zip.end();
  return output;
}
