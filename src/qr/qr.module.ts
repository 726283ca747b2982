import { Module } from '@nestjs/common';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { LinksModule } from '../links/links.module';
import { QrDrawingThread } from './drawing/qr-drawing.thread';
import { AccountFileStoreModule } from './logo/account-file-store.module';
import { LogoController } from './logo/logo.controller';
import { LogosService } from './logo/logos.service';
import { QrImagesController } from './qr-images.controller';
import { QrImagesService, QrSettingsService } from './qr-images.service';
import { OwnQrImagesController, QrSettingsController } from './qr-settings.controller';

@Module({
  imports: [AccountFileStoreModule, DomainStoreModule, LinksModule],
  controllers: [OwnQrImagesController, QrImagesController, QrSettingsController, LogoController],
  providers: [LogosService, QrDrawingThread, QrImagesService, QrSettingsService],
})
export class QrModule {}
