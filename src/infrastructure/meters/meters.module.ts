import { Module } from '@nestjs/common';
import { DatabaseMeter } from './meters';
import { LimitMeter } from './meters';
import { RedirectMeter } from './redirect-meter';

const METERS = [DatabaseMeter, LimitMeter, RedirectMeter];

/** Plain counters of this web process; the metrics module reads them. */
@Module({ providers: METERS, exports: METERS })
export class MetersModule {}
