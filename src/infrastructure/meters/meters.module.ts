import { Module } from '@nestjs/common';
import { LimitMeter } from './meters';
import { RedirectMeter } from './redirect-meter';

const METERS = [LimitMeter, RedirectMeter];

@Module({ providers: METERS, exports: METERS })
export class MetersModule {}
