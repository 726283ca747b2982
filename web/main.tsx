import { render } from 'preact';
import '../src/pages/style/variables.css';
import '../src/pages/style/chart.css';
import './style/base.css';
import './style/controls.css';
import './style/frame.css';
import './style/screens.css';
import './style/organise.css';
import './style/import.css';
import './style/admin.css';
import './style/media.css';
import { App } from './app';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
