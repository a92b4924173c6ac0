import { RouteBuilder, Schema, type CustomEndpoint, type EndpointRequest, type RouteSet } from 'xsvc';
import { __Kind__ } from './__file__.js';

@Schema({ name: '__Kind__Summary' })
export class __Kind__Summary {
  @Schema({ type: 'string', requiredMode: 'REQUIRED' })
  title!: string;

  @Schema({ type: 'integer', requiredMode: 'REQUIRED' })
  words!: number;
}

/** `GET /apis/api.__group__/v1alpha1/__plural__/{name}/summary` */
export class __Kind__Endpoint implements CustomEndpoint {
  groupVersion(): string {
    return 'api.__group__/v1alpha1';
  }

  endpoint(): RouteSet {
    return RouteBuilder.route()
      .GET(
        '/__plural__/{name}/summary',
        (req) => this.summary(req),
        (d) =>
          d
            .operationId('Get__Kind__Summary')
            .description('Title and number of words')
            .tag('__Kind__V1alpha1Public')
            .response(__Kind__Summary),
      )
      .build();
  }

  private async summary({ client, params }: EndpointRequest): Promise<__Kind__Summary> {
    // The client of the request has the rights of its sender. An unknown name is answered with 404.
    const { spec, status } = await client.get(__Kind__, params.name ?? '');
    return { title: spec.title, words: status?.words ?? 0 };
  }
}
