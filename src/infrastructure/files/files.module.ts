import { Module } from '@nestjs/common';
import { FileWriterThread } from './file-writer.thread';

/** Files of any size for callers to save, written away from the web thread. */
@Module({ providers: [FileWriterThread], exports: [FileWriterThread] })
export class FilesModule {}
