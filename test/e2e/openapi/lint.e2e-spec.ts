import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DOCUMENT_VARIABLE } from '../../support/openapi/document';

const LINT = join(__dirname, '../../../scripts/openapi-lint.mjs');

describe('The API document', () => {
  it('passes the recommended rules of Redocly and Spectral', async () => {
    const document = process.env[DOCUMENT_VARIABLE] ?? '';
    const lint = promisify(execFile)(process.execPath, [LINT, document]);
    await expect(lint).resolves.toMatchObject({ stdout: expect.stringMatching(/^0 problems/) });
  }, 180_000);
});
