import { Injectable } from '@nestjs/common';
import { SiteOptions } from '../../config/options';
import { RegistrationClosedError } from '../account/accounts.errors';

@Injectable()
export class RegistrationPolicy {
  constructor(private readonly site: SiteOptions) {}

  demand(email: string): void {
    const { registration } = this.site;
    if (registration === 'open') return;
    const domain = email.slice(email.lastIndexOf('@') + 1);
    if (registration === 'closed' || !registration.includes(domain)) {
      throw new RegistrationClosedError(registration);
    }
  }
}
