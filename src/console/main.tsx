import { createRoot } from 'react-dom/client';
import { showAppearance } from './appearance.js';
import { speakPreferred } from './language.js';
import { App } from './shell/app.js';

showAppearance();
const root = document.getElementById('root');
if (root !== null) void speakPreferred().then(() => createRoot(root).render(<App />));
