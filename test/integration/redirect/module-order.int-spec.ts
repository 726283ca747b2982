import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Connection } from 'mongoose';
import request from 'supertest';
import { ClosedAccounts } from '../../../src/accounts/closing/closed-accounts';
import { AppModule } from '../../../src/app.module';
import { JournalWriter } from '../../../src/clicks/journal/journal.writer';
import { readSettings } from '../../../src/config/settings';
import { hashLinkPassword } from '../../../src/links/making/link-password';
import { Client } from '../../../src/infrastructure/client-address/client-address';
import { MongoConnector } from '../../../src/infrastructure/mongo/mongo-connector';
import { HttpAdapter } from '../../../src/program/web-server';
import { DomainRegistry } from '../../../src/stores/domains/domain-registry';
import { aStoredLink } from '../../support/shared/stored-link';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

type Modules = NonNullable<ReturnType<typeof AppModule.forRoot>['imports']>;

const ORDERS: [string, (modules: Modules) => Modules][] = [
  ['as they are written', (modules) => modules],
  ['reversed', (modules) => modules.toReversed()],
  [
    'with every second one first',
    (modules) => modules.toSorted((a, b) => parity(modules, a) - parity(modules, b)),
  ],
];
const parity = (modules: Modules, one: Modules[number]): number => modules.indexOf(one) % 2;

describe.each(ORDERS)('Modules %s', (_, order) => {
  const uri = testDatabaseUri();
  let dataDir: string;
  let database: Connection;
  let app: NestExpressApplication;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-test-'));
    database = await openTestDatabase(uri);
    const password_hash = await hashLinkPassword('secret.1', new Client('a test'));
    await aStoredLink(database, { alias: 'locked', password_hash });
    const secret = 'a secret of the tests';
    const settings = readSettings({ DATA_DIR: dataDir, MONGODB_URI: uri, JWT_SECRET: secret });
    const root = AppModule.forRoot(settings, { mongoUri: uri, secret }, new QuietLogger());
    app = await NestFactory.create<NestExpressApplication>(
      { ...root, imports: order(root.imports ?? []) },
      new HttpAdapter(settings.http),
      { bodyParser: false, logger: false, abortOnError: false },
    );
    await app.init();
    await app.get(MongoConnector).start();
    await Promise.all([app.get(DomainRegistry).start(), app.get(ClosedAccounts).start()]);
  });
  afterAll(async () => {
    app.get(JournalWriter).close();
    await app.close();
    await dropTestDatabase(database);
    rmSync(dataDir, { recursive: true, force: true });
  });

  const to = (method: 'get' | 'post', path: string) =>
    request(app.getHttpServer())[method](path).set('Accept', 'application/json');

  it.each(['/', '/metric', '/stats', '/static/curtail.css', '/result/locked', '/health'])(
    'respond to GET %s',
    async (path) => {
      expect((await to('get', path)).status).toBe(200);
    },
  );

  it.each([
    ['/api/v1/urls', 401, 'authentication_error'],
    ['/auth/me', 401, 'authentication_error'],
    ['/oauth/nobody', 404, 'not_found'],
    ['/api', 404, 'not_found'],
    ['/locked', 401, 'password_required'],
    ['/nobody', 404, 'not_found'],
  ])('respond to GET %s with %d %s', async (path, status, code) => {
    const answer = await to('get', path);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code]);
  });

  it('return the preview of a link instead of a redirect', async () => {
    const answer = await to('get', '/locked+');
    expect([answer.status, answer.text.includes('<h1>Preview</h1>')]).toEqual([200, true]);
  });

  it('return the form of a link, and statistics of a link named password', async () => {
    const form = await to('post', '/locked/password').type('form').send({ password: 'secret.1' });
    expect([form.status, form.headers.location]).toEqual([303, 'https://example.com/']);
    const statistics = await to('post', '/stats/password').type('form').send({});
    expect(statistics.status).toBe(404);
    expect(statistics.body).not.toHaveProperty('code');
  });
});
