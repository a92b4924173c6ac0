import { createRoot } from 'react-dom/client';
import { showAppearance } from './appearance.js';
import { speakPreferred } from './language.js';
import { returnToPlace } from './session/session.js';
import { App } from './shell/app.js';

returnToPlace();
showAppearance();
const root = document.getElementById('root');
if (root !== null) void speakPreferred().then(() => createRoot(root).render(<App />));
