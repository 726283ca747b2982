import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { Attempt } from '../../idempotency/attempt';
import { CurrentAttempt, Retryable } from '../../idempotency/retryable.decorator';
import { CreateTagDto, ListTagsDto, UpdateTagDto } from './tag.dto';
import { RemovedTagResponse, TagListResponse, TagResponse } from './tag.response';
import { TagsService } from './tags.service';

@ApiTags('Tags')
@Controller('api/v1/tags')
@Access('urls:manage')
export class TagsController {
  constructor(private readonly service: TagsService) {}

  @Get()
  @Access('urls:read')
  @RateLimit('tags.list')
  @Operation({
    id: 'listTags',
    summary: 'List your tags',
    description: 'Lists all tags, with the number of links that have each tag.',
  })
  @Returns(200, TagListResponse, 'The tags')
  list(@Query() query: ListTagsDto, @CurrentPrincipal() caller: Principal) {
    return this.service.list(query, caller);
  }

  @Post()
  @Retryable()
  @RateLimit('tags.create')
  @Operation({
    id: 'createTag',
    summary: 'Create a tag',
    description:
      'Creates a tag before any link uses it. New tag names in links also create tags. Names that differ only in case are the same tag. An account can have up to 1000 tags.',
    examples: { tag: { summary: 'A tag', value: { name: 'Spring sale', color: 'green' } } },
  })
  @Returns(201, TagResponse, 'The tag', 400, 409)
  create(
    @Body() body: CreateTagDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.service.create(body, caller, attempt.chosenId());
  }

  @Patch(':id')
  @RateLimit('tags.update')
  @Operation({
    id: 'updateTag',
    summary: 'Change a tag',
    description:
      "Changes a tag's name or colour. All links with the tag show the change immediately; the links themselves do not change.",
    examples: { rename: { summary: 'Another name', value: { name: 'Spring sale 2031' } } },
  })
  @Returns(200, TagResponse, 'The changed tag', 404, 409)
  update(
    @IdParam("The tag's ID") id: string,
    @Body() body: UpdateTagDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.update(id, body, caller);
  }

  @Delete(':id')
  @RateLimit('tags.delete')
  @Operation({
    id: 'deleteTag',
    summary: 'Delete a tag',
    description: 'Removes the tag from all links. The links and their clicks are kept.',
  })
  @Returns(200, RemovedTagResponse, 'The tag is deleted', 404)
  remove(@IdParam("The tag's ID") id: string, @CurrentPrincipal() caller: Principal) {
    return this.service.remove(id, caller);
  }
}
