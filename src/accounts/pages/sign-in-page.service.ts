import { Injectable } from '@nestjs/common';
import { HttpOptions, OauthOptions, SiteOptions } from '../../config/options';
import { losesCookies } from '../../config/risks';
import type { CurtailError } from '../../common/errors';
import { type SentForm, toFormProblem } from './form-field';
import {
  LOGIN_WORDS,
  loginPage,
  REGISTER_WORDS,
  registerPage,
  type SignInOffers,
  type TypedSignIn,
} from './sign-in-pages';

@Injectable()
export class SignInPageService {
  private readonly offers: SignInOffers;

  constructor(
    { providers }: OauthOptions,
    { registration, passwordSignIn }: SiteOptions,
    http: HttpOptions,
  ) {
    const offers = { providers, registration, passwordSignIn };
    this.offers = { ...offers, losesCookies: losesCookies(http) };
  }

  login(typed: TypedSignIn = {}): string {
    return loginPage(this.offers, typed);
  }

  register(typed: TypedSignIn = {}): string {
    return registerPage(this.offers, typed);
  }

  refusedLogin(error: CurtailError, typed: TypedSignIn = {}): string {
    return this.login({ ...typed, problem: toFormProblem(error, LOGIN_WORDS) });
  }

  refusedRegistration(error: CurtailError, typed: TypedSignIn, sent: SentForm): string {
    return this.register({ ...typed, problem: toFormProblem(error, REGISTER_WORDS, sent) });
  }
}
