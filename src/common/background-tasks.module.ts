import { Module } from '@nestjs/common';
import { BackgroundTasks } from './background-tasks';

@Module({ providers: [BackgroundTasks], exports: [BackgroundTasks] })
export class BackgroundModule {}
