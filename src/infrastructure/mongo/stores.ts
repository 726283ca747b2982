import type { FactoryProvider, ModuleMetadata, Provider } from '@nestjs/common';
import { getConnectionToken, type ModelDefinition, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

/** Metadata for a module that registers collections and exports their repositories. */
export function storeMetadata(models: ModelDefinition[], providers: Provider[]): ModuleMetadata {
  return { imports: [MongooseModule.forFeature(models)], providers, exports: providers };
}

/** For repositories without Nest's decorators, since the recorder uses them. */
export function onConnection(
  ...repositories: readonly (new (connection: Connection) => object)[]
): FactoryProvider[] {
  return repositories.map((Repository) => ({
    provide: Repository,
    inject: [getConnectionToken()],
    useFactory: (connection: Connection) => new Repository(connection),
  }));
}
