// Receives callbacks with Nest 11. npm install @nestjs/core @nestjs/common @nestjs/platform-express @ringback/client
import 'reflect-metadata';
import { Controller, HttpCode, Module, Post, type RawBodyRequest, Req, UnauthorizedException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { verify } from '@ringback/client';

const { PORT = '4000', SECRET = '' } = process.env;

@Controller('callbacks')
class CallbacksController {
  @Post()
  @HttpCode(200) // Nest answers 201 to a POST, which Ringback takes as a failure of an SMS callback.
  receive(@Req() request: RawBodyRequest<Request>): void {
    // The signature covers the bytes as they came, which `rawBody: true` keeps.
    const callback = { body: request.rawBody ?? '', headers: request.headers };
    const verified = verify(callback, { signingSecret: SECRET });
    if (!verified.ok) throw new UnauthorizedException(verified.reason);
    console.log('genuine', JSON.stringify(request.body));
  }
}

@Module({ controllers: [CallbacksController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true, logger: ['error'] });
app.useBodyParser('json', { limit: '20mb' });
await app.listen(PORT);
console.log(`receiving at ${(await app.getUrl()).replace('[::1]', 'localhost')}/callbacks`);
