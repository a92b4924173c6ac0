// Asks a kube-apiserver the requests of kind-cases.mjs, and writes its answers as data:
//   NODE_TLS_REJECT_UNAUTHORIZED=0 node kinds.mjs URL TOKEN > ../kind-answers.json
// Sentences of the server are not recorded.
import { CASES } from './kind-cases.mjs';
import { inNamespace, summary } from './kind-requests.mjs';

const [, , url, token] = process.argv;

async function ask({ method, path, body, type = 'application/json' }) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return summary(response.status, await response.text());
}

const answers = {};
for (const [index, [title, steps]] of Object.entries(CASES).entries()) {
  const namespace = `kinds-${Date.now().toString(36)}-${index}`;
  await ask({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  answers[title] = [];
  for (const step of steps) {
    const answer = await ask(inNamespace(step, namespace));
    answers[title].push(JSON.parse(JSON.stringify(answer).replaceAll(namespace, 'NS')));
  }
}
console.log(JSON.stringify(answers, undefined, 2));
