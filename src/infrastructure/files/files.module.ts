import { Module } from '@nestjs/common';
import { FileWriterThread } from './file-writer.thread';

@Module({ providers: [FileWriterThread], exports: [FileWriterThread] })
export class FilesModule {}
