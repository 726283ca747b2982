import { Injectable } from '@nestjs/common';
import { SealedValues } from '../../infrastructure/sealed-values/sealed-values';
import type { Import } from './import';
import { ImportsRepository } from './imports.repository';

const PURPOSE = 'import';

/** Stores import credentials encrypted (docs/contract.md#17.5). */
@Injectable()
export class ImportCredentials {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly sealed: SealedValues,
  ) {}

  seal(importId: string, credential: string): Buffer {
    return this.sealed.seal(PURPOSE, importId, credential);
  }

  /** Null if the credential was deleted or can no longer be decrypted. */
  open({ id, credential }: Import): string | null {
    return credential === null ? null : this.sealed.open(PURPOSE, id, credential);
  }

  forget(importId: string): Promise<void> {
    return this.imports.keepCredential(importId, null);
  }
}
