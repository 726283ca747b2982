import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { LinksModule } from '../links/links.module';
import { QrDrawingThread } from './drawing/qr-drawing.thread';
import { AccountFileRecord, AccountFileSchema } from './logo/account-file.schema';
import { AccountFilesRepository } from './logo/account-files.repository';
import { LogoController } from './logo/logo.controller';
import { LogosService } from './logo/logos.service';
import { QrImagesController } from './qr-images.controller';
import { QrImagesService } from './qr-images.service';
import { QrSettingsController } from './qr-settings.controller';
import { QrSettingsService } from './qr-settings.service';

/** QR codes of links (docs/contract.md#21). */
@Module({
  imports: [
    ChangeBusModule,
    LinksModule,
    MongooseModule.forFeature([{ name: AccountFileRecord.name, schema: AccountFileSchema }]),
  ],
  controllers: [QrImagesController, QrSettingsController, LogoController],
  providers: [
    AccountFilesRepository,
    LogosService,
    QrDrawingThread,
    QrImagesService,
    QrSettingsService,
  ],
})
export class QrModule {}
