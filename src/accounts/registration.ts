import { Injectable } from '@nestjs/common';
import { SiteOptions } from '../config/options';
import { RegistrationClosedError } from './accounts.errors';

/** Whether new accounts may be made, with a password or through a provider (REGISTRATION). */
@Injectable()
export class RegistrationPolicy {
  constructor(private readonly site: SiteOptions) {}

  /** Throws RegistrationClosedError where no account may be made for the email, in its stored form. */
  demand(email: string): void {
    const { registration } = this.site;
    if (registration === 'open') return;
    const domain = email.slice(email.lastIndexOf('@') + 1);
    if (registration === 'closed' || !registration.includes(domain)) {
      throw new RegistrationClosedError(registration);
    }
  }
}
