import { Injectable } from '@nestjs/common';
import { SealedValues } from '../../infrastructure/sealed-values/sealed-values';
import type { Import } from '../import';
import { ImportsRepository } from '../imports.repository';

const PURPOSE = 'import';

/** Credentials of imports, which are stored sealed and nowhere else (docs/contract.md#17.5). */
@Injectable()
export class ImportCredentials {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly sealed: SealedValues,
  ) {}

  seal(importId: string, credential: string): Buffer {
    return this.sealed.seal(PURPOSE, importId, credential);
  }

  /** Null where there is none, or none that can be read any more. */
  open({ id, credential }: Import): string | null {
    return credential === null ? null : this.sealed.open(PURPOSE, id, credential);
  }

  forget(importId: string): Promise<void> {
    return this.imports.keepCredential(importId, null);
  }
}
