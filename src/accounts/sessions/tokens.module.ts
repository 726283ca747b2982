import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { TokenOptions } from '../../config/options';
import { AUDIENCE, ISSUER } from './claims';
import { TokensService } from './tokens';

/** JWTs are HS256 in both directions; a token that names another algorithm is refused. */
@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [TokenOptions],
      useFactory: ({ secret }: TokenOptions) => ({
        secret,
        signOptions: { algorithm: 'HS256', issuer: ISSUER, audience: AUDIENCE },
        verifyOptions: { algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE },
      }),
    }),
  ],
  providers: [TokensService],
  exports: [TokensService],
})
export class TokensModule {}
