import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiHeader, ApiPropertyOptional } from '@nestjs/swagger';
import { UnprocessableError } from '../../common/errors';
import { refuseMisnamed } from '../../common/http/field-names';
import {
  LinkPasswordAttempts,
  type PresentedPassword,
} from '../../redirect/link-password/link-password.verifier';
import { CurrentExchange, type Exchange } from '../engine/statistics-client.decorator';

const MAX_PASSWORD_LENGTH = 200;

export class LinkPasswordBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_PASSWORD_LENGTH,
    nullable: true,
    description: "The link's password",
    example: 'tulips@2030',
  })
  password?: string | null;
}

export class LinkPasswordPipe implements PipeTransform<unknown, string | undefined> {
  transform(body: unknown): string | undefined {
    if (body === undefined) return undefined;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw UnprocessableError.forField(
        'input',
        'must be a JSON object (Content-Type: application/json)',
      );
    }
    refuseMisnamed(body, ['password']);
    const password: unknown = 'password' in body ? body.password : undefined;
    if (password === undefined || password === null) return undefined;
    if (typeof password !== 'string')
      throw UnprocessableError.forField('password', 'must be a string');
    if (password.length > MAX_PASSWORD_LENGTH) {
      throw UnprocessableError.forField(
        'password',
        `must have at most ${MAX_PASSWORD_LENGTH} characters`,
      );
    }
    return password;
  }
}

const LINK_PASSWORD_HEADER = 'X-Link-Password';

@Injectable()
class HeaderPasswordPipe implements PipeTransform<Exchange, PresentedPassword> {
  constructor(private readonly attempts: LinkPasswordAttempts) {}

  transform({ request, response }: Exchange): PresentedPassword {
    return this.attempts.presented(request.get(LINK_PASSWORD_HEADER), request, response);
  }
}

export const CurrentHeaderPassword = (): ParameterDecorator => CurrentExchange(HeaderPasswordPipe);

/** Describes the header that {@link CurrentHeaderPassword} reads. */
export function LinkPasswordHeader(): MethodDecorator {
  return ApiHeader({
    name: LINK_PASSWORD_HEADER,
    required: false,
    description: "The link's password, for `scope=anon`; not required for the owner",
    schema: { type: 'string' },
  });
}
