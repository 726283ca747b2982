import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { LinksModule } from '../links/links.module';
import { QrDrawingThread } from './drawing/qr-drawing.thread';
import { AccountFileRecord, AccountFileSchema } from './logo/account-file.schema';
import { AccountFilesRepository } from './logo/account-files.repository';
import { LogoController } from './logo/logo.controller';
import { LogosService } from './logo/logos.service';
import { QrImagesController } from './qr-images.controller';
import { QrImagesService } from './qr-images.service';
import { OwnQrImagesController, QrSettingsController } from './qr-settings.controller';
import { QrSettingsService } from './qr-settings.service';

@Module({
  imports: [
    ChangeBusModule,
    DomainStoreModule,
    LinksModule,
    MongooseModule.forFeature([{ name: AccountFileRecord.name, schema: AccountFileSchema }]),
  ],
  controllers: [OwnQrImagesController, QrImagesController, QrSettingsController, LogoController],
  providers: [
    AccountFilesRepository,
    LogosService,
    QrDrawingThread,
    QrImagesService,
    QrSettingsService,
  ],
})
export class QrModule {}
