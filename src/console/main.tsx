import { createRoot } from 'react-dom/client';
import { speakPreferred } from './language.js';
import { App } from './shell/app.js';

const root = document.getElementById('root');
if (root !== null) void speakPreferred().then(() => createRoot(root).render(<App />));
