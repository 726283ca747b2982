import { Module } from '@nestjs/common';
import { ExportFilesRepository } from './export-files.repository';

@Module({ providers: [ExportFilesRepository], exports: [ExportFilesRepository] })
export class ExportFilesModule {}
