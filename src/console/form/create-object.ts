import { createContext, type ComponentType } from 'react';
import type { Model } from '../api/models.js';

export interface CreateDialogProps {
  readonly model: Model;
  readonly onCreated: (name: string) => void;
  readonly onClose: () => void;
}

/** The dialog for a new object of another model. It contains a form, so forms get it from above; undefined without it. */
export const CreateObject = createContext<ComponentType<CreateDialogProps> | undefined>(undefined);
