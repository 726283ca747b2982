import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { RequestValidationPipe } from './validation.pipe';

/** @example unblock(@Body(new OptionalBodyPipe(OptionalReasonDto)) body: unknown) */
@Injectable()
export class OptionalBodyPipe<T extends object> implements PipeTransform<unknown, Promise<T>> {
  private readonly shapes = new RequestValidationPipe();

  constructor(private readonly metatype: Type<T>) {}

  transform(body: unknown): Promise<T> {
    return this.shapes.transform(body ?? {}, {
      type: 'body',
      metatype: this.metatype,
    }) as Promise<T>;
  }
}
