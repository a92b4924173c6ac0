import { memo, type ReactNode } from 'react';
import { useStored, type FieldProps } from '../form-state.js';
import { GroupField } from './group-field.js';
import { ListField } from './list-field.js';
import { MapField } from './map-field.js';
import { ScalarField } from './scalar-field.js';
import { fits } from './shape-values.js';
import { UnionField } from './union-field.js';
import { YamlField } from './yaml-field.js';

/** A field of any shape. A value that does not match the shape is edited as YAML. */
export const FieldView = memo(function FieldView({ field, path }: FieldProps): ReactNode {
  const { shape } = field;
  const doesFit = useStored(path, (value) => fits(shape, value));
  if (!doesFit) return <YamlField field={field} path={path} />;
  switch (shape.shape) {
    case 'scalar':
      return <ScalarField field={{ ...field, shape }} path={path} />;
    case 'list':
      return <ListField field={{ ...field, shape }} path={path} />;
    case 'map':
      return <MapField field={{ ...field, shape }} path={path} />;
    case 'group':
      return <GroupField field={{ ...field, shape }} path={path} />;
    case 'union':
      return <UnionField field={{ ...field, shape }} path={path} />;
    case 'other':
      return <YamlField field={field} path={path} />;
  }
});
