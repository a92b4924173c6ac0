import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { emitGo } from '../../src/openapi/types/go.js';
import { removeDirectories } from '../helpers/store.js';
import { examples, MODELS, run } from '../openapi/nasty-models.js';

afterAll(removeDirectories);

const GO = ['go', '/usr/local/go/bin/go'].find((go) => spawnSync(go, ['version']).status === 0);
const title = 'Go types of models';

describe.skipIf(GO === undefined)(GO === undefined ? `${title} (left out: there is no Go)` : title, () => {
  const main = `package models

import (
	"encoding/json"
	"testing"
)

func TestRound(t *testing.T) {
	age := int64(30)
	gender := PersonSpecGenderFEMALE
	person := Person{ApiVersion: "demo.example.com/v1alpha1", Kind: "Person", Metadata: Metadata{Name: "ann"}, Spec: PersonSpec{Name: "Ann", Age: &age, Gender: &gender}}
	text, err := json.Marshal(Page[Person]{Items: []Person{person}, Total: 1})
	if err != nil {
		t.Fatal(err)
	}
	var page Page[Person]
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(page.Items[0])
	println(string(text))
}
`;

  it('are compiled and checked, and read what they write', () => {
    const module = { 'go.mod': 'module example.com/models\n\ngo 1.21\n' };
    const checked = run({ ...module, 'models.go': emitGo(MODELS) }, GO ?? '', 'vet', './...');
    expect(checked).toEqual({ status: 0, output: '' });
    const used = { ...module, 'models.go': emitGo(examples), 'models_test.go': main };
    const { status, output } = run(used, GO ?? '', 'test', './...', '-v');
    expect(status, output).toBe(0);
    expect(output).toContain(
      '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"ann"},"spec":{"name":"Ann","age":30,"gender":"FEMALE"}}',
    );
  });
});
