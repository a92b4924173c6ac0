import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { localizeSchema } from '../../../api/localize.js';
import { getJson } from '../../../api/http.js';
import { objectPath } from '../../../api/models.js';
import { PLUGINS } from '../../../api/platform/plugins.js';
import { language } from '../../../language.js';
import { ObjectForm } from '../../../form/object-form.js';
import { readForm } from '../../../form/form-text.js';
import { arrayAt, getMember, isObject, objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { useStore } from '../../../lib/store.js';
import { CopiedText } from '../../../parts/copy-button.js';
import { Notice, Pending } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { formatRoute } from '../../../routes/route.js';
import { t } from '../../../texts.js';

interface PluginConfiguration {
  /** Undefined when the plugin declares none. */
  readonly schema: JsonObject | undefined;
  readonly value: JsonObject;
  readonly secrets: readonly { readonly path: string; readonly isSet: boolean }[];
}

/** The configuration of a plugin as a form, and the text for the file of the operator. */
export default function ConfigTab({ name }: { readonly name: string }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['plugin config', name],
    queryFn: async ({ signal }) =>
      getConfiguration(await getJson(`${objectPath(PLUGINS, name)}/config`, signal)),
  });
  if (data === undefined) return <Pending error={error} onRetry={() => void refetch()} />;
  const { schema, value, secrets } = data;
  if (schema === undefined)
    return (
      <Notice tone="plain" title={t`This plugin declares no schema for its configuration.`}>
        <p>{t`Its values are not shown: they may be secrets. They are in the configuration file of the service.`}</p>
      </Notice>
    );
  return <ConfigEditor name={name} schema={schema} value={value} secrets={secrets} />;
}

function getConfiguration(answer: unknown): PluginConfiguration {
  const schema = getMember(answer, 'schema');
  return {
    schema: isObject(schema) ? schema : undefined,
    value: objectAt(answer, 'value'),
    secrets: arrayAt(answer, 'secrets').map((one) => ({
      path: textAt(one, 'path') ?? '',
      isSet: getMember(one, 'isSet') === true,
    })),
  };
}

/** The member of the text that the form edits. */
const ROOT = 'configuration';

interface ConfigEditorProps extends PluginConfiguration {
  readonly name: string;
  readonly schema: JsonObject;
}

function ConfigEditor({ name, schema, value, secrets }: ConfigEditorProps): ReactNode {
  const [text, setText] = useState(() => stringify({ [ROOT]: value }));
  const spoken = useStore(language);
  // The form is made for models; this one has the configuration in the place of `spec`.
  const model = useMemo(
    () => ({
      singular: name,
      schema: { type: 'object', properties: { [ROOT]: localizeSchema(schema, spoken) } },
    }),
    [name, schema, spoken],
  );
  const read = readForm(text);
  const edited = 'values' in read ? (read.values[ROOT] ?? {}) : value;
  const file = stringify({ pluginConfig: { [name]: edited } });
  const keep = secrets.map(({ path }) => path).join(', ');
  const note = keep === '' ? '' : `# ${t`Keep your lines of: ${keep}`}\n`;
  return (
    <div className="tiles">
      <Section title={t`Values`}>
        <div className="config-tab-form">
          <ObjectForm
            model={model}
            value={text}
            yamlHref={formatRoute({ page: 'plugin', name, path: 'configuration' })}
            onChange={setText}
          />
        </div>
        {secrets.length > 0 && (
          <div className="stack tight">
            <h3>{t`Secrets`}</h3>
            <ul className="bullets">
              {secrets.map(({ path, isSet }) => (
                <li key={path}>
                  <code>{path}</code> {isSet ? t`is set, and never shown` : t`is not shown`}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Section>
      <Section title={t`In the configuration file`}>
        <div className="stack">
          <p>{t`The file belongs to the operator. Put this into it, and start the service again.`}</p>
          <CopiedText label={t`Configuration`} value={`${note}${file}`} />
          <CopiedText label={t`Start with a configuration file`} value="xsvc serve --config xsvc.yaml" />
        </div>
      </Section>
    </div>
  );
}
