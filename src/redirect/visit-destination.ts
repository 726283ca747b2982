import { Injectable } from '@nestjs/common';
import { headerText } from '../common/header-text';
import type { Choice } from '../destinations/decision';
import { DestinationChooser, type Visiting } from '../destinations/destination-chooser';
import { plainAddress } from '../infrastructure/client-address/ip-address';
import type { RememberedLink } from '../stores/links/link';
import { clickAddress, clickUserAgent } from './click-details';
import { withForwardedQuery } from './forwarded-query';
import type { Visit } from './visit-steps';

const WEB_SCHEME = /^https?:/i;

/** Chooses the destination of an open link (docs/contract.md#26.3 to docs/contract.md#26.5). */
@Injectable()
export class VisitDestination {
  constructor(private readonly chooser: DestinationChooser) {}

  /** Returns null if `find` can run now, otherwise a promise that resolves when `find` can run. */
  preparation(link: RememberedLink): Promise<void> | null {
    return link.isPlain === true ? null : this.chooser.preparation(link.destinations);
  }

  /** @param query the short URL's raw query to forward */
  find(link: RememberedLink, visiting: Visiting, query = visiting.query): Choice {
    const choice = this.chooser.choose(link, visiting);
    if (!link.forwardQuery || !WEB_SCHEME.test(choice.location)) return choice;
    return { ...choice, location: withForwardedQuery(choice.location, query) };
  }

  findFor(link: RememberedLink, visit: Visit): Choice {
    const visiting = {
      at: visit.at,
      address: plainAddress(clickAddress(visit.address)),
      userAgent: clickUserAgent(visit.userAgent),
      language: visit.language ?? '',
      query: headerText(visit.query),
    };
    return this.find(link, visiting, visit.query);
  }
}
