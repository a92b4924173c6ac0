import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { stringify } from 'yaml';
import { formatMessage } from '../../../api/errors.js';
import { getName } from '../../../api/objects.js';
import { DEFINITIONS } from '../../../api/platform/definitions.js';
import { useMay } from '../../../api/platform/rights.js';
import { Icon } from '../../../parts/icon.js';
import { ErrorNotice } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { getList } from '../../../routes/route.js';
import { navigate } from '../../../routes/use-route.js';
import { t } from '../../../texts.js';
import { saveFile } from '../../list/export/save-file.js';
import { readDefinition } from '../draft/read-definition.js';
import { namesOf } from '../draft/names.js';
import { EXAMPLES, type Example } from './examples.js';
import { installExample, removeDefinitions } from './install.js';

/** Examples to install. @param chosen the name of one that comes first */
export default function ExampleCards({ chosen }: { readonly chosen: string | undefined }): ReactNode {
  const mayCreate = useMay('create', DEFINITIONS);
  if (!mayCreate) return null;
  const found = EXAMPLES.filter(({ name }) => name === chosen);
  return (
    <Section title={t`Install an example`}>
      <ul className="tiles tiles-narrow">
        {(found.length > 0 ? found : EXAMPLES).map((example) => (
          <ExampleCard key={example.name} example={example} />
        ))}
      </ul>
    </Section>
  );
}

function ExampleCard({ example }: { readonly example: Example }): ReactNode {
  const { name, title, about, icon, definitions, objects } = example;
  const client = useQueryClient();
  const undo = async (): Promise<void> => {
    try {
      await removeDefinitions(definitions);
      await client.invalidateQueries();
      say(t`The example is removed.`);
    } catch (error) {
      say(formatMessage(error));
    }
  };
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => installExample(example),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['models'] });
      void client.invalidateQueries();
      const last = definitions.at(-1);
      if (last !== undefined) navigate(getList(namesOf(readDefinition(last), undefined)));
      say(t`${t(title)} is installed.`, { label: t`Undo`, run: () => void undo() });
    },
  });
  const file = `${name}.yaml`;
  const download = (): void => {
    const text = [...definitions, ...objects].map((one) => stringify(one)).join('---\n');
    saveFile(new Blob([text], { type: 'application/yaml' }), file);
  };
  return (
    <li className="card stack tight">
      <strong>
        <Icon name={icon} /> {t(title)}
      </strong>
      <p>{t(about)}</p>
      <p className="faint">
        {t`Creates ${definitions.map(getName).join(', ')} and ${objects.length} [object|objects]. Undo deletes all of it.`}
      </p>
      {error !== null && <ErrorNotice error={error} title={t`Nothing was installed.`} />}
      <div className="row">
        <button
          type="button"
          className="primary"
          aria-disabled={isPending}
          aria-label={t`Install ${t(title)}`}
          onClick={isPending ? undefined : () => mutate()}
        >
          {isPending ? t`Installing…` : t`Install`}
        </button>
        <button type="button" className="quiet" onClick={download}>
          {t`Download ${file}`}
        </button>
      </div>
      <p className="faint">
        {t`The same as a command:`} <code>{`xsvc apply -f ${file}`}</code>
      </p>
    </li>
  );
}
