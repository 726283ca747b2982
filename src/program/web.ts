import 'reflect-metadata';
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler as HttpHandler } from 'express';
import { AdminsService } from '../accounts/admin-role/admins.service';
import { SetupLinksService } from '../accounts/setup/setup-links.service';
import { ClosedAccounts } from '../accounts/closing/closed-accounts';
import { AppModule } from '../app.module';
import { changeLimits } from '../auth/rate-limit/rate-limits';
import { apiDocument } from '../api-description/api-document';
import { ApiDescriptionService } from '../api-description/api-description.service';
import type { HttpOptions, Runtime } from '../config/options';
import type { Settings } from '../config/settings';
import { StoredHosts } from '../blocklists/hosts/stored-hosts';
import { BackgroundTasks } from '../common/background-tasks';
import type { AppLog } from '../common/log';
import { compression } from '../common/http/compression';
import { cors } from '../common/http/cors';
import { sendError, sendOwnRedirect, toCurtailError } from '../common/http/error-response';
import { rootLocation } from '../common/own-host';
import type { RefusalResponder, RequestHandler } from '../common/request-handler';
import { presentAs, type Presentation } from '../common/site';
import { withTimeout } from '../common/with-timeout';
import { toLocation } from '../destinations/location';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { JournalWriter } from '../clicks/journal/journal.writer';
import { ClientAddress } from '../infrastructure/client-address/client-address';
import { NestLog } from '../infrastructure/logging/nest-log';
import { MongoConnector } from '../infrastructure/mongo/mongo-connector';
import { DomainSites } from '../redirect/domain-sites';
import { RedirectHandler } from '../redirect/redirect.handler';
import { ConnectionGuard, connectionLimits } from './connection-limits';
import { FastPath } from './fast-path/fast-path';
import {
  findMissingInternal,
  isIdleSocket,
  readingMs,
  trackRequests,
} from './fast-path/node-internals';
import { largeBodiesInTurn } from './large-bodies';
import { listenForTlsQuestions } from './tls-ask';
import { favourEventLoop } from './v8';
import { closeServer, HttpAdapter, listen } from './web-server';

const REQUESTS_END_MS = 4000;
const LATE_DATABASE_MS = 10_000;
const ADMIN_EMAILS_RETRY_MS = 200;

/** Answers most redirects before Node parses the request, and all of them before Nest. */
export class Web {
  private constructor(
    private readonly app: NestExpressApplication,
    private readonly adapter: HttpAdapter,
    private readonly server: Server,
    private readonly fastPath: FastPath | null,
    private readonly tlsAsk: Server | null,
  ) {}

  static async start(settings: Settings, runtime: Runtime, log: AppLog): Promise<Web> {
    presentAs(withLocations(settings.site), settings.footer, settings.http);
    changeLimits(settings.limits);
    const adapter = new HttpAdapter(settings.http);
    const app = await NestFactory.create<NestExpressApplication>(
      AppModule.forRoot(settings, runtime, log),
      adapter,
      { bodyParser: false, logger: new NestLog(log), abortOnError: false },
    );
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('trust proxy', settings.http.trustProxy);
    app.use(...cors(settings.http));
    app.use(redirectRoot);
    app.use(compression);
    app.get(ApiDescriptionService).describe(() => apiDocument(app, settings.http.baseUrl));
    await app.init();
    await loadState(app);
    const redirect = app.get(RedirectHandler);
    const sites = app.get(DomainSites);
    const address = app.get(ClientAddress);
    adapter.putBeforeExpress((next, prepare) => {
      const refuse = refusalResponder(prepare, log);
      const handle = sites.handle(redirect.handle(next, refuse), refuse, prepare);
      return largeBodiesInTurn(handle, refuse, address);
    });
    const server: Server = app.getHttpServer();
    trackRequests(server);
    const fastPath = await createFastPath(server, redirect, settings.http, log);
    const facts = {
      keyOf: (socket: Socket) => address.connectionKey(socket),
      isIdle: (socket: Socket) => fastPath?.isIdle(socket) ?? isIdleSocket(socket),
      readingMs,
    };
    new ConnectionGuard(server, connectionLimits(settings.concurrency), facts, log);
    favourEventLoop();
    const { askAddress } = settings.domains;
    const tlsAsk =
      askAddress &&
      (await listenForTlsQuestions(askAddress, app.get(DomainRegistry), settings.http));
    await listen(server, settings.http);
    announceSetup(app);
    return new Web(app, adapter, server, fastPath, tlsAsk);
  }

  /** Finishes pending requests, hands the journal over to the recorder, and closes everything. */
  async stop(): Promise<void> {
    const end = performance.now() + REQUESTS_END_MS;
    this.adapter.endConnections();
    await this.fastPath?.stop(REQUESTS_END_MS);
    await closeServer(this.server, Math.max(0, end - performance.now()));
    if (this.tlsAsk !== null) await closeServer(this.tlsAsk, 0);
    this.app.get(JournalWriter).close();
    await this.app.close();
  }
}

/** Converts redirect settings to Location headers once. */
function withLocations(site: Presentation): Presentation {
  const [rootRedirect = null, notFoundRedirect = null] = [
    site.rootRedirect,
    site.notFoundRedirect,
  ].map((url) => url && toLocation(url));
  return { ...site, rootRedirect, notFoundRedirect };
}

/** ROOT_REDIRECT precedes all routes, because it needs no session and counts toward no limit. */
const redirectRoot: HttpHandler = (request, response, next) => {
  const location = rootLocation(request);
  if (location === null) next();
  else sendOwnRedirect(response, location);
};

/**
 * Loads the state before the first request. If the database is late, `/health` is unhealthy, and
 * requests that need the state get 503.
 */
async function loadState(app: NestExpressApplication): Promise<void> {
  const end = performance.now() + LATE_DATABASE_MS;
  await app.get(MongoConnector).start(LATE_DATABASE_MS);
  const state = Promise.all([
    app.get(DomainRegistry).start(),
    app.get(ClosedAccounts).start(),
    app.get(StoredHosts).look(),
    app.get(BackgroundTasks).retry({
      name: 'make the accounts of ADMIN_EMAILS admins',
      everyMs: ADMIN_EMAILS_RETRY_MS,
      run: () => app.get(AdminsService).grantAllListed(),
    }),
    app.get(BackgroundTasks).retry({
      name: 'note whether the installation is new',
      everyMs: ADMIN_EMAILS_RETRY_MS,
      run: () => app.get(SetupLinksService).markFirstStart(),
    }),
  ]);
  await withTimeout(state, Math.max(0, end - performance.now()), () => undefined);
}

/** Runs after the port is bound, and in one process, because each link replaces the previous one. */
function announceSetup(app: NestExpressApplication): void {
  if (!cluster.isPrimary && cluster.worker?.id !== 1) return;
  void app.get(BackgroundTasks).retry({
    name: 'issue a set-up link',
    everyMs: ADMIN_EMAILS_RETRY_MS,
    run: () => app.get(SetupLinksService).announce(),
  });
}

/** Null if the fast path is disabled or not supported by this Node version, which is logged. */
async function createFastPath(
  server: Server,
  { replyAtOnce }: RedirectHandler,
  { fastPath }: HttpOptions,
  log: AppLog,
): Promise<FastPath | null> {
  const missing = fastPath ? await findMissingInternal() : null;
  if (fastPath && missing === null) return new FastPath(server, replyAtOnce);
  if (missing === null) log.info('The fast path is off: FAST_PATH is false');
  else
    log.warn('The fast path is off: this version of Node.js lacks internals that it needs', {
      missing,
    });
  return null;
}

/** Responds to refused redirects as the controllers' exception filter does. */
function refusalResponder(prepare: RequestHandler, log: AppLog): RefusalResponder {
  return (request, response, thrown) => {
    prepare(request, response);
    const error = toCurtailError(thrown);
    if (error.logLevel === 'error') {
      const requestId = response.getHeader('X-Request-ID');
      log.error(error.message, { code: error.code, requestId, err: error.cause ?? error });
    }
    sendError(request, response, error);
  };
}
