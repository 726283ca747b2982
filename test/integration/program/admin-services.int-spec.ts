import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { Connection } from 'mongoose';
import { readSettings } from '../../../src/config/settings';
import { ADMIN_COMMANDS } from '../../../src/program/cli/admin-commands';
import { openAdminServices } from '../../../src/program/cli/admin.module';
import { primaryHandlers } from '../../../src/processes/rpc/primary-client';
import { jobsIn } from '../../support/factories/stored-job';
import {
  dropTestDatabase,
  openTestDatabase,
  TestMongo,
  testDatabaseUri,
} from '../../support/test-database';

describe('A command of curtail admin', () => {
  const uri = testDatabaseUri();
  let connection: Connection;

  beforeAll(async () => {
    connection = await openTestDatabase(uri);
  });
  afterAll(() => dropTestDatabase(connection));

  it('starts no job and no repeated task', async () => {
    const jobs = jobsIn(connection);
    const waiting = await jobs.insert({ kind: 'import', ownerId: null, input: null });
    const wake = jest.fn();
    primaryHandlers.handle('jobs.wake', wake);
    const created = jest.spyOn(NestFactory, 'createApplicationContext');
    const settings = readSettings({});
    const { services, close } = await openAdminServices(connection, new TestMongo(uri), settings);
    const app = (await created.mock.results[0]?.value) as INestApplicationContext;
    const modules = app.get(ModulesContainer);
    const providers = [...modules.values()].flatMap((module) => [...module.providers.values()]);
    const starters = providers.filter(
      ({ instance }) => instance !== null && 'onApplicationBootstrap' in Object(instance),
    );
    const words = { argument: '', options: new Map<string, string>() };
    const listed = await ADMIN_COMMANDS['list-jobs']?.run(services, words);
    await close();

    expect(listed?.rows).toMatchObject([{ id: waiting.id, state: waiting.state }]);
    expect(starters.map(({ name }) => name)).toEqual([]);
    expect(wake).not.toHaveBeenCalled();
    expect(await jobs.findById(waiting.id)).toEqual(waiting);
  });
});
