import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import type { ChosenId } from '../../idempotency/attempt';
import type { UtmValues } from '../../destinations/utm';
import {
  MAX_UTM_TEMPLATES,
  type NewUtmTemplate,
  type UtmTemplate,
  type UtmTemplateChange,
} from './utm-template';
import {
  EmptyUtmTemplateError,
  NoSuchTemplateError,
  UnknownUtmTemplateError,
  UtmTemplateCapError,
} from './utm.errors';
import { UtmTemplatesRepository } from './utm-templates.repository';

const ID_FORM = /^[\da-f]{24}$/i;

@Injectable()
export class UtmTemplatesService {
  constructor(private readonly repository: UtmTemplatesRepository) {}

  /** Sorted by name, ignoring case, then by age. */
  async list({ ownerId }: Principal): Promise<UtmTemplate[]> {
    const templates = await this.repository.findByOwner(ownerId);
    return templates.sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1));
  }

  /** A retry returns the existing template with the chosen id. */
  async create(
    template: NewUtmTemplate,
    { ownerId }: Principal,
    { id, isRepeated }: ChosenId,
  ): Promise<UtmTemplate> {
    const before = isRepeated ? await this.repository.findOwn(id, ownerId) : null;
    if (before !== null) return before;
    const taken = await this.repository.takenPlaces(ownerId);
    for (let place = 0; place < MAX_UTM_TEMPLATES; place++) {
      if (taken.has(place)) continue;
      const created = await this.repository.insert({ id, ...template }, ownerId, place, new Date());
      if (created !== null) return created;
    }
    throw new UtmTemplateCapError();
  }

  async change(
    id: string,
    change: UtmTemplateChange,
    { ownerId }: Principal,
  ): Promise<UtmTemplate> {
    const changed = await this.repository.change(id, ownerId, change);
    if (changed !== null) return changed;
    const isThere = (await this.repository.findOwn(id, ownerId)) !== null;
    throw isThere ? new EmptyUtmTemplateError() : new UnknownUtmTemplateError();
  }

  /** Does not change link destinations. */
  async remove(id: string, { ownerId }: Principal): Promise<void> {
    if (!(await this.repository.remove(id, ownerId))) throw new UnknownUtmTemplateError();
  }

  async findValues(id: string, ownerId: string): Promise<UtmValues> {
    const template = ID_FORM.test(id) ? await this.repository.findOwn(id, ownerId) : null;
    if (template === null) throw new NoSuchTemplateError();
    return template;
  }
}
