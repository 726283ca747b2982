import { Module } from '@nestjs/common';
import { LinksModule } from '../../links/links.module';
import { RedirectModule } from '../redirect.module';
import { ResolveController } from './resolve.controller';

@Module({ imports: [LinksModule, RedirectModule], controllers: [ResolveController] })
export class ResolveModule {}
