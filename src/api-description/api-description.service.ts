import { Injectable } from '@nestjs/common';
import { assetOf, type HttpResult } from '../common/http/http-result';

/** The document of the running service, made when somebody first asks for it. */
@Injectable()
export class ApiDescriptionService {
  private make: (() => object) | null = null;
  private made: HttpResult | null = null;

  /** The application alone knows its routes, and only when it is whole. */
  describe(make: () => object): void {
    this.make = make;
  }

  document(): HttpResult {
    if (this.make === null) throw new Error('The application was not described');
    const type = 'application/json; charset=utf-8';
    const options = { maxAgeSeconds: 0, isCompressible: true };
    this.made ??= assetOf(type, JSON.stringify(this.make()), options);
    return this.made;
  }
}
