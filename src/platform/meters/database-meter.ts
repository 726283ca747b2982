import { Injectable } from '@nestjs/common';
import { Durations } from './durations';

/** Time that this web process' database commands take, as the driver reports it. */
@Injectable()
export class DatabaseMeter {
  readonly durations = new Durations();
  failures = 0;
}
