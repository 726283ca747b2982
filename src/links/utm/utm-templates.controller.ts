import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { Attempt } from '../../idempotency/attempt';
import { CurrentAttempt, Retryable } from '../../idempotency/retryable.decorator';
import {
  CreateUtmTemplateDto,
  toNewUtmTemplate,
  toUtmTemplateChange,
  UpdateUtmTemplateDto,
} from './utm.dto';
import {
  toUtmTemplateResponse,
  UtmTemplateListResponse,
  UtmTemplateRemovalResponse,
  UtmTemplateResponse,
} from './utm-template.response';
import { UtmTemplatesService } from './utm-templates.service';

@ApiTags('UTM templates')
@Controller('api/v1/utm-templates')
@Access('urls:manage')
export class UtmTemplatesController {
  constructor(private readonly service: UtmTemplatesService) {}

  @Get()
  @Access('urls:read')
  @RateLimit('utm.list')
  @Operation({
    id: 'listUtmTemplates',
    summary: 'List the UTM templates',
    description: 'Lists all of your templates, sorted by name.',
  })
  @Returns(200, UtmTemplateListResponse, 'The templates')
  async list(@CurrentPrincipal() caller: Principal) {
    return { templates: (await this.service.list(caller)).map(toUtmTemplateResponse) };
  }

  @Post()
  @RateLimit('utm.create')
  @Retryable()
  @Operation({
    id: 'createUtmTemplate',
    summary: 'Create a UTM template',
    description:
      'Stores campaign values under a name. Links use a template with `utm.template`. At least one of the five values is required, and an account can have up to 100 templates.',
    examples: {
      newsletter: {
        summary: 'A newsletter',
        value: { name: 'Spring newsletter', source: 'newsletter', medium: 'email' },
      },
    },
  })
  @Returns(201, UtmTemplateResponse, 'The template')
  async create(
    @Body() body: CreateUtmTemplateDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return toUtmTemplateResponse(
      await this.service.create(toNewUtmTemplate(body), caller, attempt.chosenId()),
    );
  }

  @Patch(':id')
  @RateLimit('utm.update')
  @Operation({
    id: 'updateUtmTemplate',
    summary: 'Change a UTM template',
    description:
      'Changes only the fields in the body. `null` removes a value; the last value cannot be removed. Existing links keep their destinations.',
    examples: {
      campaign: { summary: 'Another campaign', value: { campaign: 'summer sale', term: null } },
    },
  })
  @Returns(200, UtmTemplateResponse, 'The changed template', 404)
  async update(
    @IdParam("The template's ID") id: string,
    @Body() body: UpdateUtmTemplateDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return toUtmTemplateResponse(await this.service.change(id, toUtmTemplateChange(body), caller));
  }

  @Delete(':id')
  @RateLimit('utm.delete')
  @Operation({
    id: 'deleteUtmTemplate',
    summary: 'Delete a UTM template',
    description: 'Deletes the template. Links that were created with it keep their destinations.',
  })
  @Returns(200, UtmTemplateRemovalResponse, 'The template is deleted', 404)
  async remove(@IdParam("The template's ID") id: string, @CurrentPrincipal() caller: Principal) {
    await this.service.remove(id, caller);
    return { message: 'UTM template deleted', id };
  }
}
