import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { StateRecord, StateSchema } from './state.schema';
import { StatesRepository } from './states.repository';

@Module(storeMetadata([{ name: StateRecord.name, schema: StateSchema }], [StatesRepository]))
export class StateStoreModule {}
