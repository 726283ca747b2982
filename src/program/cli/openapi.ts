import 'reflect-metadata';
import '../node-version';
import { processEnvironment } from '../../config/environment';
import { readSettings } from '../../config/settings';
import { offlineDocument } from '../offline-document';

// npm run --silent openapi: prints the API document of this release, as GET /openapi.json answers
// it, without starting anything. BASE_URL says for which service.

async function main(): Promise<void> {
  const document = await offlineDocument(readSettings(processEnvironment()));
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
