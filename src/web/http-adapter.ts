import { createServer, type RequestListener } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';

/** How often connections are looked at that take too long; Node itself looks every 30 s only. */
const LOOK_MS = 1000;

/** Nest on Express as usual, on a server that cuts slow clients off when their time is over. */
export class HttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const listener = this.getInstance<RequestListener>();
    this.httpServer = createServer({ connectionsCheckingInterval: LOOK_MS }, listener);
  }
}
