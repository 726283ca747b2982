import { Module } from '@nestjs/common';
import { SealedValues } from './sealed-values';

@Module({ providers: [SealedValues], exports: [SealedValues] })
export class SealedValuesModule {}
