import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { TokenOptions } from '../config/options';
import { ISSUER, AUDIENCE, TOKEN_VERIFICATION, TokensService } from './tokens';

@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [TokenOptions],
      useFactory: ({ secret }: TokenOptions) => ({
        secret,
        signOptions: { algorithm: 'HS256', issuer: ISSUER, audience: AUDIENCE },
        verifyOptions: TOKEN_VERIFICATION,
      }),
    }),
  ],
  providers: [TokensService],
  exports: [TokensService],
})
export class TokensModule {}
