import 'reflect-metadata';
import '../node-version';
import { processEnvironment } from '../../config/environment';
import { readSettings } from '../../config/settings';
import { offlineDocument } from '../offline-document';

// `npm run --silent openapi` prints the response to GET /openapi.json without starting a service.

async function main(): Promise<void> {
  const document = await offlineDocument(readSettings(processEnvironment()));
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
