import { expect, it } from 'vitest';
import { sumExpositions } from '../../src/http/metrics/sum-expositions.js';

const first = `# HELP xsvc_http_requests_total Requests, by method
# TYPE xsvc_http_requests_total counter
xsvc_http_requests_total{method="GET"} 3
# HELP xsvc_objects Stored objects, by model
# TYPE xsvc_objects gauge
xsvc_objects{kind="a b"} 7
# HELP process_start_time_seconds Start
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1700
# HELP d Durations
# TYPE d histogram
d_bucket{le="+Inf"} 2
d_sum 0.5
d_count 2
`;

const second = `# HELP xsvc_http_requests_total Requests, by method
# TYPE xsvc_http_requests_total counter
xsvc_http_requests_total{method="GET"} 4
xsvc_http_requests_total{method="POST"} 1
# HELP xsvc_objects Stored objects, by model
# TYPE xsvc_objects gauge
xsvc_objects{kind="a b"} 7
# HELP process_start_time_seconds Start
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1800
# HELP d Durations
# TYPE d histogram
d_bucket{le="+Inf"} 3
d_sum 0.25
d_count 3
# HELP only Here
# TYPE only gauge
only +Inf
`;

it('adds up the counters of processes, and has values of the store once', () => {
  expect(sumExpositions([first, second])).toBe(`# HELP xsvc_http_requests_total Requests, by method
# TYPE xsvc_http_requests_total counter
xsvc_http_requests_total{method="GET"} 7
xsvc_http_requests_total{method="POST"} 1
# HELP xsvc_objects Stored objects, by model
# TYPE xsvc_objects gauge
xsvc_objects{kind="a b"} 7
# HELP process_start_time_seconds Start
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1700
# HELP d Durations
# TYPE d histogram
d_bucket{le="+Inf"} 5
d_sum 0.75
d_count 5
# HELP only Here
# TYPE only gauge
only +Inf
`);
  expect(sumExpositions([first])).toBe(first);
});
