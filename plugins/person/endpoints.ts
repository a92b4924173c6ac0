/**
 * Endpoints of the plugin's own, beyond those that the service makes for the model. Each exported class is found by
 * itself; `groupVersion` says for whom it is: `console.api.<group>`, `uc.api.<group>` (who is signed in), or
 * `api.<group>` (the public).
 */
import {
  ApiVersion,
  GetMapping,
  ListResult,
  NotBlank,
  Pattern,
  Queries,
  RequestMapping,
  RouteBuilder,
  Schema,
  Size,
  SortableRequest,
  validateBody,
  type CustomEndpoint,
  type EndpointRequest,
  type PluginContext,
  type RouteSet,
} from 'xsvc';
import { Person } from './person.js';

/** Query parameters of the search, in addition to page, size, sort and selectors. */
export class PersonQuery extends SortableRequest {
  @Schema({ type: 'string', description: 'Part of the full name, in any case', example: 'exam' })
  keyword?: string;

  @Schema({ type: 'integer', minimum: 0, description: 'Lowest age' })
  minAge?: number;
}

/** `GET /apis/console.api.demo.example.com/v1alpha1/persons?keyword=exam&minAge=30&sort=spec.age,desc` */
export class PersonSearch implements CustomEndpoint {
  constructor(private readonly ctx: PluginContext) {}

  groupVersion(): string {
    return 'console.api.demo.example.com/v1alpha1';
  }

  endpoint(): RouteSet {
    return RouteBuilder.route()
      .GET(
        '/persons',
        (req) => this.search(PersonQuery.from(req)),
        (d) =>
          d
            .operationId('SearchPersons')
            .description('Persons whose name has the keyword, of an age and above')
            .tag('PersonV1alpha1Console')
            .parameters(PersonQuery)
            .response(ListResult.of(Person)),
      )
      .build();
  }

  private search(asked: PersonQuery): Promise<ListResult<Person>> {
    const { keyword, minAge } = asked;
    const query = Queries.and(
      keyword === undefined ? Queries.empty() : Queries.contains('spec.name', keyword, { ignoreCase: true }),
      minAge === undefined ? Queries.empty() : Queries.greaterThan('spec.age', minAge, true),
    );
    return this.ctx.client.list(Person, { ...asked.toListOptions(), query });
  }
}

/** A body, checked by {@link validateBody}: its messages are in the language that the client asks for. */
@Schema({ name: 'AddressForm' })
export class AddressForm {
  @Schema({ type: 'string' })
  @Size({ max: 100 })
  street?: string;

  @Schema({ type: 'string', requiredMode: 'REQUIRED' })
  @NotBlank
  city!: string;

  @Schema({ type: 'string' })
  @Pattern('^[0-9]{4,5}$')
  zip?: string;
}

/** `PUT /apis/uc.api.demo.example.com/v1alpha1/persons/ada/address` */
export class OwnAddress implements CustomEndpoint {
  constructor(private readonly ctx: PluginContext) {}

  groupVersion(): string {
    return 'uc.api.demo.example.com/v1alpha1';
  }

  endpoint(): RouteSet {
    return RouteBuilder.route()
      .PUT(
        '/persons/{name}/address',
        (req) => this.move(req),
        (d) =>
          d
            .operationId('UpdateOwnAddress')
            .description('Moves a person to another address')
            .tag('PersonV1alpha1Uc')
            .requestBody(AddressForm)
            .response(Person),
      )
      .build();
  }

  private move(req: EndpointRequest): Promise<Person> {
    const { street, city, zip } = validateBody(req, AddressForm);
    // Null takes away what the form leaves out (RFC 7396).
    const patch = { spec: { address: { street: street ?? null, city, zip: zip ?? null } } };
    return this.ctx.client.patch(Person, req.params.name ?? '', patch);
  }
}

@Schema({ name: 'PersonCard', description: 'What anybody may know' })
export class PersonCard {
  @Schema({ type: 'string', requiredMode: 'REQUIRED' })
  name!: string;

  @Schema({ type: 'array', items: { type: 'string' }, requiredMode: 'REQUIRED' })
  interests!: string[];
}

/** An annotated controller: `GET /apis/api.demo.example.com/v1alpha1/persons/ada/card` */
@ApiVersion('api.demo.example.com/v1alpha1')
@RequestMapping('/persons/{name}')
export class PersonCards {
  constructor(private readonly ctx: PluginContext) {}

  @GetMapping('/card', (d) =>
    d
      .operationId('GetPersonCard')
      .description('What anybody may know')
      .tag('PersonV1alpha1Public')
      .response(PersonCard),
  )
  async card({ params }: EndpointRequest): Promise<PersonCard> {
    const { spec } = await this.ctx.client.get(Person, params.name ?? '');
    return { name: spec.name, interests: spec.tags ?? [] };
  }
}
