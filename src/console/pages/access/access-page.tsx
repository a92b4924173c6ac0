import type { ReactNode } from 'react';
import { Board } from './board.js';
import { usePlace } from './place.js';
import { NewRolePage, RolePage } from './role-page.js';
import { UserPage } from './user/user-page.js';

/** Users, roles and their rights. */
export default function AccessPage(): ReactNode {
  const place = usePlace();
  switch (place.kind) {
    case 'user':
      return <UserPage key={place.name} name={place.name} />;
    case 'role':
      return <RolePage key={place.name} name={place.name} />;
    case 'newRole':
      return <NewRolePage />;
    case 'board':
      return <Board />;
  }
}
